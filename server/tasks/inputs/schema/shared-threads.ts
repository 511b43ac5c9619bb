import { SchemaThreads } from './schema-threads.ts'

/** The threads of this process; each starts with its first question. */
export const schemaThreads = new SchemaThreads()
