// Starts the server of an unpacked bundle as a desktop client would, and compares
// what it answers with what the bundle's manifest says.
//
//   node release/check-bundle.mjs MODULES BUNDLE
//
// MODULES is a node_modules with @anthropic-ai/mcpb in it, whose own code fills in
// the manifest's placeholders.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [modules, bundle] = process.argv.slice(2);
const { getMcpConfigForManifest } = await import(pathToFileURL(join(modules, "@anthropic-ai/mcpb/dist/index.js")));
const manifest = JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8"));
const here = process.platform;

// launch is how a client on a system starts the server.
async function launch(system, userConfig) {
  Object.defineProperty(process, "platform", { value: system });
  try {
    return await getMcpConfigForManifest({
      manifest, extensionPath: bundle, systemDirs: { HOME: "/home/nobody" }, userConfig, pathSeparator: sep,
    });
  } finally {
    Object.defineProperty(process, "platform", { value: here });
  }
}

// Whatever a client would run has to be in the bundle; mcpb validate does not look.
for (const system of manifest.compatibility.platforms) {
  const { command, args } = await launch(system, {});
  const ours = [command, ...args].filter((word) => word.startsWith(bundle));
  assert.ok(ours.length > 0, `${system}: nothing of the bundle is run`);
  for (const file of ours) {
    assert.ok(existsSync(file) && statSync(file).isFile(), `${system}: ${file} is not in the bundle`);
  }
  console.log(`${system}: would run ${[command, ...args].join(" ").replaceAll(bundle, "…")}`);
}
assert.ok(statSync(join(bundle, manifest.server.entry_point)).isFile());

// answers starts the server and returns its answers to initialize and tools/list.
async function answers(userConfig, home) {
  const { command, args, env } = await launch(here, userConfig);
  const server = spawn(command, args, { env: { PATH: process.env.PATH, HOME: home, ...env }, stdio: ["pipe", "pipe", "pipe"] });
  const deadline = setTimeout(() => server.kill("SIGKILL"), 30_000);
  let complaints = "";
  server.stderr.on("data", (text) => { complaints += text; });
  const ended = new Promise((resolve, reject) => {
    server.on("error", reject);
    server.on("close", (code, signal) => resolve({ code, signal }));
  });
  const say = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  server.stdin.on("error", () => {}); // it has left, and says why on standard error
  const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "check-bundle", version: "1" } };
  say({ id: 1, method: "initialize", params: client });
  const heard = {};
  for await (const line of createInterface({ input: server.stdout })) {
    const message = JSON.parse(line);
    heard[message.id] = message.result;
    if (message.id === 1) {
      say({ method: "notifications/initialized" });
      say({ id: 2, method: "tools/list" });
    } else if (message.id === 2) {
      server.stdin.end();
    }
  }
  const end = await ended;
  clearTimeout(deadline);
  assert.deepEqual(end, { code: 0, signal: null }, complaints);
  return { initialized: heard[1], tools: heard[2].tools };
}

// agrees compares them with the manifest.
function agrees({ initialized, tools }) {
  const { name, version } = initialized.serverInfo;
  assert.deepEqual({ name, version }, { name: manifest.name, version: manifest.version });
  const described = (list) => Object.fromEntries(list.map(({ name, description }) => [name, description]));
  assert.deepEqual(described(tools), described(manifest.tools));
}

const home = mkdtempSync(join(tmpdir(), "check-bundle-"));
try {
  agrees(await answers({}, home));
  const standard = here === "darwin" ? "Library/Application Support/counterfoil" : ".local/share/counterfoil";
  assert.ok(existsSync(join(home, standard, "sandbox.db")), "the data is not where the command line keeps it");
  console.log(`${here}: with every field blank it answers as the manifest says, ${manifest.tools.length} tools`);

  // The webhook has no secret but the one that the client hands over; without one
  // the server would not start.
  const given = { data_dir: join(home, "elsewhere"), config_file: join(home, "config.yaml"), webhook_secret: "correct horse battery staple" };
  mkdirSync(given.data_dir);
  writeFileSync(given.config_file, 'notify: {webhook: {url: "https://example.com/hook"}}\n');
  agrees(await answers(given, home));
  assert.ok(existsSync(join(given.data_dir, "sandbox.db")), "the data is not in the directory that was chosen");
  console.log(`${here}: with its fields filled in it answers the same`);
  delete given.webhook_secret;
  await assert.rejects(answers(given, home), /COUNTERFOIL_WEBHOOK_SECRET is not set/);
} finally {
  rmSync(home, { recursive: true, force: true });
}
