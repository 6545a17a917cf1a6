package intent

import "strconv"

// Money writes an amount in minor units for a person: 11800, "USD" is
// "118.00 USD". Without a currency it is the bare number.
func Money(cents int64, currency string) string {
	if currency == "" {
		return strconv.FormatInt(cents, 10)
	}
	digits := minorDigits(currency)
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	s := strconv.FormatInt(cents, 10)
	if digits == 0 {
		return sign + s + " " + currency
	}
	for len(s) <= digits {
		s = "0" + s
	}
	return sign + s[:len(s)-digits] + "." + s[len(s)-digits:] + " " + currency
}

// minorDigits is the number of digits of a currency's minor unit (ISO 4217).
func minorDigits(currency string) int {
	switch currency {
	case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF",
		"UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF":
		return 0
	case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND":
		return 3
	}
	return 2
}
