import { type Static, Type } from 'typebox'
import { Identifier } from '../ids.ts'
import { Count, Nullable } from '../schema.ts'

/** What a company keeps on disk (extension). */
export const StorageUse = Type.Object({
  company_id: Identifier,
  kept_bytes: Count,
  /** Null: without bound. */
  limit_bytes: Nullable(Count),
  /** By kind, the most first. */
  kinds: Type.Array(Type.Object({ kind: Type.String(), bytes: Count })),
})
export type StorageUse = Static<typeof StorageUse>
