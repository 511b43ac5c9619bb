import { globSync, readFileSync } from 'node:fs'

/*
 * Tests share a process where they can: loading the program takes most of the time of a short test. Tests that change what their process
 * has, or start a whole service, get a process of their own.
 */
const marks = [
  /\/(started-service|vault-server)\.ts'/,
  /\bvi\.(mock|stub\w*|spyOn|useFakeTimers)\(/,
  // A process gives names to a bounded number of statements.
  /\bpg_prepared_statements\b/,
  /\bprocess\.(env|chdir|exit|kill|memoryUsage|on|once|set\w+|std\w+|umask)\b/,
]

export const needsOwnProcess = (source: string): boolean => marks.some((mark) => mark.test(source))

/** Paths of the test files that share a process, by the patterns of all test files. */
export const sharedProcessTests = (patterns: string[]): string[] =>
  globSync(patterns).filter((file) => !needsOwnProcess(readFileSync(file, 'utf8')))
