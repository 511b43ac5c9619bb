import { relative } from 'node:path'
import { readFileResults } from '../check/file-results.ts'

/** The test files that passed wherever they ran, by JSON reports of vitest that was run in this folder. */
export function passedFiles(reportPaths: readonly string[]): Set<string> {
  const results = readFileResults(reportPaths)
  const failed = new Set(results.filter(({ status }) => status !== 'passed').map(({ name }) => name))
  return new Set(results.filter(({ name }) => !failed.has(name)).map(({ name }) => relative('.', name)))
}
