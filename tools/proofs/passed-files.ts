import { relative } from 'node:path'

interface Report {
  testResults: { name: string; status: string }[]
}

/** The test files that passed wherever they ran, by JSON reports of vitest that was run in this folder. */
export function passedFiles(reports: readonly string[]): Set<string> {
  const results = reports
    .filter((text) => text.trim() !== '')
    .flatMap((text) => (JSON.parse(text) as Report).testResults)
  const failed = new Set(results.filter(({ status }) => status !== 'passed').map(({ name }) => name))
  return new Set(results.filter(({ name }) => !failed.has(name)).map(({ name }) => relative('.', name)))
}
