import type { Log } from '../base/logging.ts'
import type { ArchiveReaders } from '../builds/reader/archive-readers.ts'
import type { ObjectStorage } from '../storage/port.ts'
import type { TaskContext } from './task-context.ts'

/** What the use cases of files for tasks work with. */
export interface UploadContext extends TaskContext {
  storage: ObjectStorage
  log: Log
}

/** The same, where what arrives is an archive. */
export interface BundleUploadContext extends UploadContext {
  readers: Pick<ArchiveReaders, 'countBundleFiles'>
}

/** A file as it arrives. */
export interface SentFile {
  /** As the sender calls it: for people to read, never a path of ours. */
  filename: string
  body: AsyncIterable<Buffer>
}

/** Opens the file of a request; called once it is decided that its sender may send one. */
export type OpenFile = () => Promise<SentFile>
