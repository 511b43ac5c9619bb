import { SchemaThread } from './schema-thread.ts'

/** The one thread of this process; it starts with the first question. */
export const schemaThread = new SchemaThread()
