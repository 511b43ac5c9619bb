import { testMatrix } from './matrix-cells.ts'

/* Ids of absent objects, and malformed ids: a refusal does not reveal whether an object exists. */
await testMatrix(['absent', 'malformed'])
