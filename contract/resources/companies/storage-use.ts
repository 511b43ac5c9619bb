import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { CompanyId } from '../../identifiers.ts'
import { Count, Nullable } from '../../schema.ts'

/** Disk usage of a company (extension). */
export const StorageUse = Type.Object({
  company_id: CompanyId,
  kept_bytes: about('Bytes that the company keeps on disk.', Count, 48_211_968),
  limit_bytes: about('Bytes that it may keep; null: no limit.', Nullable(Count), 10_737_418_240),
  kinds: about(
    'Bytes by kind, largest first.',
    Type.Array(
      Type.Object({
        kind: about('Kind of the kept bytes.', Type.String(), 'images'),
        bytes: about('Bytes of this kind.', Count, 41_943_040),
      }),
    ),
  ),
})
export type StorageUse = Static<typeof StorageUse>
