import type { ArchiveReaders } from '../../../reader/process/archive-readers.ts'
import type { Log } from '../../base/logging.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import type { TaskContext } from '../catalogue/task-access.ts'

/** Dependencies of the use cases of task files. */
export interface UploadContext extends TaskContext {
  storage: ObjectStorage
  log: Log
  readers: Pick<ArchiveReaders, 'countBundleFiles'>
}

/** A file as it arrives. */
export interface SentFile {
  /** The sender's name of the file, for display only, never used as a path. */
  filename: string
  body: AsyncIterable<Buffer>
}

/** Opens the file of a request. Called after the permission check. */
export type OpenFile = () => Promise<SentFile>
