import { hints, operations } from '../src/operations.ts'

/** The text of `client/src/operations.ts` in the package. */
export const operationTable = (): string =>
  [
    'export const operations = {',
    ...Object.entries(operations).map(([name, operation]) => `  ${name}: ${JSON.stringify(operation)},`),
    '} as const',
    '',
    'export type OperationName = keyof typeof operations',
    '',
    '/** Advice to a caller about an error, by its code. */',
    'export const hints: Readonly<Record<string, string>> = {',
    ...Object.entries(hints).map(([code, advice]) => `  ${code}: ${JSON.stringify(advice)},`),
    '}',
    '',
  ].join('\n')
