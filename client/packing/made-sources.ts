import { apiTypes } from './api-types.ts'
import { operationTable } from './operation-table.ts'

/**
 * Sources of the client that the package has in another form, by their paths: written out, so that users need no schemas to run
 * or compile them, and read the descriptions.
 */
export const madeSources = (): Record<string, string> => ({
  'client/src/api.ts': apiTypes(),
  'client/src/operations.ts': operationTable(),
})
