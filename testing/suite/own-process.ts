import { globSync, readFileSync } from 'node:fs'

/*
 * Tests share a process where they can: loading the program takes most of the time of a short test. Tests that start a host agent
 * or a service, or change what their process has, get a process of their own.
 */
const marks = [
  /\b(TestAgent|FakeInternet|startResolvingAgent|StartedService|preparedAgent)\b/,
  /\/(chain-bench|builder-bench|layer-bench|started-service|vault-server)\.ts'/,
  /\bvi\.(mock|stub\w*|spyOn|useFakeTimers)\(/,
  // A process gives names to a bounded number of statements.
  /\bpg_prepared_statements\b/,
  /\bprocess\.(env|chdir|exit|kill|memoryUsage|on|once|set\w+|std\w+|umask)\b/,
]

export const needsOwnProcess = (source: string): boolean => marks.some((mark) => mark.test(source))

/** Paths of the test files that share a process, by the patterns of all test files. */
export const sharedProcessTests = (patterns: string[]): string[] =>
  globSync(patterns).filter((file) => !needsOwnProcess(readFileSync(file, 'utf8')))
