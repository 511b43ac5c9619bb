import { apiTypes } from './api-types.ts'
import { operationTable } from './operation-table.ts'
import { reference } from './reference.ts'

/** The files of the package `client` that are made from the route table, by their names. */
export const clientFiles = (): Record<string, string> => ({
  'client/src/api.generated.ts': apiTypes(),
  'client/src/operations.generated.ts': operationTable(),
  'client/REFERENCE.md': reference(),
})
