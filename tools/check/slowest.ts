import { relative } from 'node:path'
import { readFileResults } from './file-results.ts'

/* slowest.ts REPORT...: prints the slowest test files of these JSON reports of vitest, from the start of the first test to the end of the last. */

const shown = 5

const times = readFileResults(process.argv.slice(2))
  .map(({ name, startTime, endTime }) => ({ file: relative('.', name), ms: endTime - startTime }))
  .toSorted((one, other) => other.ms - one.ms)

for (const { file, ms } of times.slice(0, shown))
  console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`)
