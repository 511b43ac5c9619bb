import { testMatrix } from './matrix-cells.ts'

/* Ids of nothing, and ids of no form: a refusal tells nobody whether something is there. */
await testMatrix(['absent', 'malformed'])
