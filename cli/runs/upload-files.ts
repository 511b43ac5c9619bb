import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { inputFileMaxBytes, runFilesMax } from '@sandbox-jobs/contract/limits.ts'
import type { RunFileRequest } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { inputFileNamePattern } from '@sandbox-jobs/contract/resources/runs/input-file.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { CliError, exitCodes } from '../failure.ts'
import { escapeControls } from '../output/escape-controls.ts'
import { bytesText } from '../output/sizes.ts'
import { readWithRetry } from '../session/read-with-retry.ts'
import type { Session } from '../session/session.ts'

export interface LocalFile {
  /** Name that the job sees. */
  name: string
  path: string
  byteSize: number
}

const namePattern = new RegExp(inputFileNamePattern, 'u')

/** The files of `--file path` and `--file name=path`, checked before anything is sent. */
export async function localFiles(texts: readonly string[]): Promise<LocalFile[]> {
  if (texts.length > runFilesMax) throw wrongFile(`A run takes at most ${runFilesMax} files.`)
  const files = await Promise.all(texts.map(localFile))
  const names = new Set<string>()
  for (const { name } of files) {
    if (names.has(name)) throw wrongFile(`Two files have the name ${escapeControls(name)}.`)
    names.add(name)
  }
  return files
}

async function localFile(text: string): Promise<LocalFile> {
  const { name, path } = nameAndPath(text)
  if (!namePattern.test(name)) {
    throw wrongFile(`${escapeControls(name)} cannot be the name of a file of a run.`)
  }
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) throw wrongFile(`There is no file ${escapeControls(path)}.`)
  if (found.size > inputFileMaxBytes) {
    throw wrongFile(`${escapeControls(path)} has ${bytesText(found.size)}; a file has at most 256 MiB.`)
  }
  return { name, path, byteSize: found.size }
}

/** A path with a folder before its first `=`, as in `./a=b.csv`, has no name before it. */
function nameAndPath(text: string): { name: string; path: string } {
  const at = text.indexOf('=')
  const name = text.slice(0, Math.max(at, 0))
  return name === '' || name.includes('/')
    ? { name: basename(text), path: text }
    : { name, path: text.slice(at + 1) }
}

/** Files in the room, as a submission names them. */
export interface UploadedFiles {
  files: RunFileRequest[]
  /** Deletes them, if no run took them. */
  drop: () => Promise<void>
}

/** Uploads files one after another. If one fails, those before it are deleted. */
export async function uploadFiles(
  session: Session,
  cid: string,
  local: readonly LocalFile[],
): Promise<UploadedFiles> {
  const files: (RunFileRequest & { file_id: string })[] = []
  const drop = async () => {
    for (const { file_id: fid } of files) {
      await session.client.call(allRoutes.deleteInputFile, { params: { cid, fid } }).catch(() => undefined)
    }
  }
  try {
    for (const file of local) files.push({ name: file.name, file_id: await upload(session, cid, file) })
  } catch (error) {
    await drop()
    throw error
  }
  return { files, drop }
}

async function upload({ client, report }: Session, cid: string, { name, path, byteSize }: LocalFile) {
  report.progress(`upload ${escapeControls(name)} (${bytesText(byteSize)})`)
  const { id } = await readWithRetry(
    () =>
      client.call(allRoutes.uploadInputFile, {
        params: { cid },
        query: { name },
        upload: Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>,
        headers: { 'content-length': String(byteSize) },
      }),
    () => report.progress('The service does not accept the file yet; retrying.'),
  )
  return id
}

const wrongFile = (message: string) =>
  new CliError(message, {
    hint: 'Write --file PATH, or --file NAME=PATH to give it another name.',
    code: 'cli_input',
    exitCode: exitCodes.usage,
  })
