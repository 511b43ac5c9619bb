import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { type Entry, fromFd, type ZipFile } from 'yauzl'

/** A file without valid OSV records. The message explains the problem to the operator. */
export class OsvFileInvalid extends Error {
  override name = 'OsvFileInvalid'
}

/** An advisory has some kilobytes. The largest ones list every version of a package over years. */
const maxRecordBytes = 64 * 1024 ** 2

/** The JSON documents of a file: a zip with one file per record, as osv.dev publishes it, or one record per line. */
export async function* readOsvFile(path: string): AsyncGenerator<unknown> {
  yield* (await isZip(path)) ? zippedRecords(path) : recordLines(path)
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer: start, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return bytesRead === 4 && start.toString('latin1') === 'PK\x03\x04'
  } finally {
    await file.close()
  }
}

async function* recordLines(path: string): AsyncGenerator<unknown> {
  let number = 0
  for await (const line of createInterface({
    input: createReadStream(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    number += 1
    if (line.trim() !== '') yield parse(line, `line ${number}`)
  }
}

async function* zippedRecords(path: string): AsyncGenerator<unknown> {
  const file = await open(path)
  try {
    const zip = await promisify(fromFd as OpenZip)(file.fd, { lazyEntries: true, autoClose: false }).catch(
      refuse,
    )
    for await (const entry of entriesOf(zip)) {
      if (!entry.fileName.endsWith('.json')) continue
      if (entry.uncompressedSize > maxRecordBytes) throw new OsvFileInvalid(`${entry.fileName} is too large`)
      const content = await promisify(zip.openReadStream.bind(zip) as OpenEntry)(entry)
        .then(buffer)
        .catch(refuse)
      yield parse(content.toString('utf8'), entry.fileName)
    }
  } finally {
    await file.close()
  }
}

type OpenZip = (
  fd: number,
  options: { lazyEntries: boolean; autoClose: boolean },
  done: (error: Error | null, zip: ZipFile) => void,
) => void
type OpenEntry = (entry: Entry, done: (error: Error | null, stream: NodeJS.ReadableStream) => void) => void

/** Reads one entry at a time, on demand. */
async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  for (;;) {
    const entry = await new Promise<Entry | undefined>((resolve, reject) => {
      zip
        .once('entry', resolve)
        .once('end', () => resolve(undefined))
        .once('error', reject)
      zip.readEntry()
    }).catch(refuse)
    zip.removeAllListeners('entry').removeAllListeners('end').removeAllListeners('error')
    if (!entry) return
    yield entry
  }
}

function refuse(error: unknown): never {
  throw new OsvFileInvalid(error instanceof Error ? error.message : String(error))
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new OsvFileInvalid(`${where} is not valid JSON`)
  }
}
