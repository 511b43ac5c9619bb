import { writeFileSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Link } from '../../network/link-maker.ts'
import type { SandboxSpec } from '../../port/sandbox-spec.ts'
import { recordIn } from './record-file.ts'

/** The record of a start, on disk: what was requested, and what the sandbox was made as. */
export interface StartRecord {
  spec: SandboxSpec
  /** Name of its folder and its control groups: the spec's id, or another one for a warm sandbox. */
  name: string
  idBase: number
  /** Its network link, if it has one. */
  link?: Link
  /** True if there are values to mask. The values themselves are not written to disk. */
  hasMasked?: true
}

const startRecordFile = 'ticket.json'
/** Two specs that may share a warm sandbox differ by fewer bytes than this. */
const spareBytes = 512

/**
 * The record says that the program may have been started, so it must survive a power cut before anything starts: the shim syncs it,
 * with its name, before it takes the start signal (native/shim/record.c). A folder without a complete record is a sandbox that never
 * started.
 */
export function writeStartRecord(folder: string, startRecord: StartRecord): void {
  writeFileSync(join(folder, startRecordFile), JSON.stringify(startRecord), { flag: 'wx', mode: 0o600 })
}

/** Space for a start record, preallocated on disk by the shim: writing it costs one flush of its bytes and no file system metadata. */
export interface ReservedRecord {
  file: FileHandle
  bytes: number
}

export async function reserveStartRecord(folder: string, spec: SandboxSpec): Promise<ReservedRecord> {
  const bytes = Buffer.byteLength(JSON.stringify(spec)) + spareBytes
  const file = await open(join(folder, startRecordFile), 'wx', 0o600)
  try {
    await file.writeFile(Buffer.alloc(bytes, ' '))
    return { file, bytes }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Writes the record into the reserved space, and closes the file. */
export async function fillStartRecord(room: ReservedRecord, startRecord: StartRecord): Promise<void> {
  const { file } = room
  try {
    const bytes = Buffer.from(JSON.stringify(startRecord))
    if (bytes.length > room.bytes) throw new Error('a start record is longer than its reserved space')
    // Into memory; what takes time is the flush.
    writeSync(file.fd, bytes, 0, bytes.length, 0)
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** Undefined if there is none, or an incomplete one. Throws if it cannot be read. */
export const readStartRecord = (folder: string): StartRecord | undefined =>
  recordIn<StartRecord>(join(folder, startRecordFile))
