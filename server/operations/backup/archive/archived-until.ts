import { readRecord, writeRecord } from '../backup-record.ts'
import type { ArchiveFolder } from './archive-folder.ts'

interface UntilRecord {
  until: string
}

const fileName = 'until.json'

/** Records the latest moment that can be restored: the log of the newest backup has no gap before it. */
export const noteUntil = ({ path }: ArchiveFolder, until: Date): void =>
  writeRecord(path, fileName, { until: until.toISOString() } satisfies UntilRecord)

/** Undefined: there is none, or the record is damaged. */
export async function readUntil({ path }: ArchiveFolder): Promise<Date | undefined> {
  const record = await readRecord<UntilRecord>(path, fileName)
  return record && new Date(record.until)
}
