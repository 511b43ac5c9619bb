import { relative } from 'node:path'
import { type FileResult, readFileResults } from './file-results.ts'

/*
 * failed.ts REPORT...: prints the failed tests of these JSON reports of vitest and the start of each failure, so that the last lines of a
 * long log are enough.
 */

const shown = 20
const linesOfFailure = 3

const failures = ({ message, assertionResults, status }: FileResult): string[] => {
  const tests = assertionResults
    .filter((result) => result.status === 'failed')
    .map(({ fullName, failureMessages }) => `${fullName}\n${startOf(failureMessages.join('\n'))}`)
  return tests.length > 0 || status === 'passed' ? tests : [`not run\n${startOf(message)}`]
}

const startOf = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, linesOfFailure)
    .map((line) => `      ${line.slice(0, 300)}`)
    .join('\n')

const failed = readFileResults(process.argv.slice(2)).flatMap((result) =>
  failures(result).map((failure) => `  ${relative('.', result.name)} > ${failure}`),
)
for (const failure of failed.slice(0, shown)) console.log(failure)
if (failed.length > shown) console.log(`  and ${failed.length - shown} more`)
