import { catalogue } from '@sandbox-jobs/contract/errors/catalogue.ts'
import { type DescribedOperation, describedOperations } from './described-operations.ts'

/** The text of `client/src/operations.generated.ts`: what the client sends for each operation, and hints by code. */
export const operationTable = (): string =>
  [
    '// Made from contract/routes by `npm run openapi`; do not edit.',
    'export const operations = {',
    ...describedOperations.map((operation) => `  ${operation.name}: ${JSON.stringify(entryOf(operation))},`),
    '} as const',
    '',
    'export type OperationName = keyof typeof operations',
    '',
    '/** Advice to a caller about an error, by its code. */',
    'export const hints: Readonly<Record<string, string>> = {',
    ...Object.entries(catalogue).map(([code, { advice }]) => `  ${code}: ${JSON.stringify(advice)},`),
    '}',
    '',
  ].join('\n')

const entryOf = ({ route, list }: DescribedOperation) => ({
  method: route.method,
  path: route.path,
  ...(route.bodyKind && { bodyKind: route.bodyKind }),
  ...(route.idempotent && { idempotent: true }),
  ...(!route.response && { answers: route.events ? 'events' : 'bytes' }),
  ...(list && { pages: list.pages }),
})
