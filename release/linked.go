package main

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// linked reads what processor a binary is made for, as its format names it, and
// which libraries its system has to load before it runs.
func linked(binary io.ReaderAt, system string) (machine string, libraries []string, err error) {
	switch system {
	case "darwin":
		return linkedMachO(binary)
	case "windows":
		return linkedPE(binary)
	}
	return linkedELF(binary)
}

func linkedELF(binary io.ReaderAt) (machine string, libraries []string, err error) {
	f, err := elf.NewFile(binary)
	if err != nil {
		return "", nil, err
	}
	libraries, err = f.ImportedLibraries()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			libraries = append(libraries, "a dynamic linker")
		}
	}
	return f.Machine.String(), libraries, err
}

func linkedMachO(binary io.ReaderAt) (machine string, libraries []string, err error) {
	f, err := macho.NewFile(binary)
	if err != nil {
		return "", nil, err
	}
	libraries, err = f.ImportedLibraries()
	return f.Cpu.String(), libraries, err
}

// linkedPE goes by the symbols: debug/pe does not list the libraries.
func linkedPE(binary io.ReaderAt) (machine string, libraries []string, err error) {
	f, err := pe.NewFile(binary)
	if err != nil {
		return "", nil, err
	}
	symbols, err := f.ImportedSymbols()
	for _, s := range symbols {
		_, library, _ := strings.Cut(s, ":")
		libraries = append(libraries, strings.ToLower(library))
	}
	slices.Sort(libraries)
	return fmt.Sprintf("%#x", f.Machine), slices.Compact(libraries), err
}

// madeFor says whether a binary is made for the target's processor.
func madeFor(t target, machine string) error {
	want := map[target]string{
		{"darwin", "amd64"}:  macho.CpuAmd64.String(),
		{"darwin", "arm64"}:  macho.CpuArm64.String(),
		{"linux", "amd64"}:   elf.EM_X86_64.String(),
		{"linux", "arm64"}:   elf.EM_AARCH64.String(),
		{"windows", "amd64"}: fmt.Sprintf("%#x", pe.IMAGE_FILE_MACHINE_AMD64),
		{"windows", "arm64"}: fmt.Sprintf("%#x", pe.IMAGE_FILE_MACHINE_ARM64),
	}
	if machine != want[t] {
		return fmt.Errorf("it is made for %s, not %s", machine, want[t])
	}
	return nil
}

// onlySystems says whether a binary needs a library that its system does not
// bring. On Linux it may need none. The others have no stable interface below
// their own libraries, so that there static means: nothing but those.
func onlySystems(t target, libraries []string) error {
	var problems []error
	for _, library := range libraries {
		ok := false
		switch t.os {
		case "darwin":
			ok = strings.HasPrefix(library, "/usr/lib/") || strings.HasPrefix(library, "/System/Library/")
		case "windows":
			ok = library == "kernel32.dll"
		}
		if !ok {
			problems = append(problems, fmt.Errorf("it needs %s", library))
		}
	}
	return errors.Join(problems...)
}
