import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/*
 * slowest.ts REPORT...: prints the slowest test files of these JSON reports of vitest. A part that did not run has an empty one. A file's
 * time lasts from the start of its first test to the end of its last.
 */

interface Report {
  testResults?: { name: string; startTime: number; endTime: number }[]
}

const shown = 5

const times = process.argv
  .slice(2)
  .map((path) => readFileSync(path, 'utf8'))
  .filter((text) => text.trim() !== '')
  .flatMap((text) => (JSON.parse(text) as Report).testResults ?? [])
  .map(({ name, startTime, endTime }) => ({ file: relative('.', name), ms: endTime - startTime }))
  .toSorted((one, other) => other.ms - one.ms)

for (const { file, ms } of times.slice(0, shown))
  console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`)
