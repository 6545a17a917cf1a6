// Prints what the conformance suite found wrong and says why, from the results
// that it left in a directory.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const results = process.argv[2];
for (const scenario of readdirSync(results).sort()) {
  const file = `${results}/${scenario}/checks.json`;
  if (!existsSync(file)) continue;
  for (const check of JSON.parse(readFileSync(file, 'utf8'))) {
    if (check.status !== 'FAILURE' && check.status !== 'WARNING') continue;
    const why = check.errorMessage ?? check.details?.message ?? '';
    console.log(`  ${scenario.replace(/-\d{4}-.*/, '').replace('server-', '')}:${check.id}, ${check.status}: ${why}`);
  }
}
