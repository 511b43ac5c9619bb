import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { Count, Nullable } from '../../schema.ts'

/** Disk usage of a company (extension). */
export const StorageUse = Type.Object({
  company_id: Identifier,
  kept_bytes: Count,
  /** Null: unlimited. */
  limit_bytes: Nullable(Count),
  /** By kind, largest first. */
  kinds: Type.Array(Type.Object({ kind: Type.String(), bytes: Count })),
})
export type StorageUse = Static<typeof StorageUse>
