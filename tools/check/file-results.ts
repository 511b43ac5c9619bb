import { readFileSync } from 'node:fs'

/** A test file in a JSON report of vitest. */
export interface FileResult {
  /** Absolute path. */
  name: string
  status: string
  /** Of its first test, in milliseconds since 1970. */
  startTime: number
  /** Of its last test. */
  endTime: number
  /** Why the file could not be loaded, or empty. */
  message: string
  assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
}

/** The results of the test files in these reports. A part that did not run has an empty report. */
export const readFileResults = (paths: readonly string[]): FileResult[] =>
  paths
    .map((path) => readFileSync(path, 'utf8'))
    .filter((text) => text.trim() !== '')
    .flatMap((text) => (JSON.parse(text) as { testResults: FileResult[] }).testResults)
