import { createReadStream, createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { finished, pipeline } from 'node:stream/promises'
import { jobPrelude } from '@sandbox-jobs/contract/resources/environments/job-prelude.ts'
import {
  artifactsDir,
  driverPath,
  inputsDir,
  inputsFile,
  startupScriptPath,
  workScriptPath,
  workspaceDir,
} from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'
import { type Pack, pack } from 'tar-stream'
import type { LocalFile } from '../runs/upload-files.ts'
import type { LocalTask } from './local-task.ts'

const platformFolder = '/.sandbox'
const bootFile = `${platformFolder}/boot.sh`
/** Not there if the program could not be started. */
const startedFile = `${platformFolder}/started`

/** Debian's package busybox-static, and where others have it. */
const shells = ['/bin/busybox', '/usr/bin/busybox', '/bin/busybox.static']

export interface JobArchive {
  /** The command that the sandbox starts. */
  argv: string[]
  /** False: an image without a shell cannot run. */
  hasShell: boolean
}

interface Contents {
  task: LocalTask
  imageEnv: readonly string[]
  /** JSON. */
  input: string
  files: readonly LocalFile[]
}

/**
 * Writes the tar of everything that a run finds below /workspace. The platform's shell, with which a run on the service
 * starts, is added if this machine has it as a static program.
 */
export async function writeJobArchive(path: string, contents: Contents): Promise<JobArchive> {
  const { task, imageEnv, input, files } = contents
  const shell = await staticShell()
  const archive = pack()
  const written = pipeline(archive, createWriteStream(path, { mode: 0o600, flags: 'wx' }))
  const fill = async () => {
    const boot = jobPrelude({ ...task, imageEnv })
    await addFolder(archive, `${platformFolder}/`)
    await addText(
      archive,
      bootFile,
      `: > ${startedFile}\ncd ${workspaceDir} || exit 125\nexec < /dev/null\n${boot}\n`,
      0o644,
    )
    if (shell) await addText(archive, `${platformFolder}/busybox`, shell, 0o755)
    await addFolder(archive, `${workspaceDir}/`)
    await addFolder(archive, `${artifactsDir}/`)
    await addText(archive, startupScriptPath, task.startupScript, 0o755)
    await addText(archive, workScriptPath, task.workScript, 0o755)
    await addText(archive, driverPath, task.driver, 0o755)
    await addText(archive, inputsFile, input, 0o644)
    if (files.length > 0) await addFolder(archive, `${inputsDir}/`)
    for (const file of files) await addFile(archive, file)
    archive.finalize()
  }
  await Promise.all([
    written,
    fill().catch((error: unknown) => {
      archive.destroy(error instanceof Error ? error : new Error(String(error)))
      throw error
    }),
  ])
  const argv = shell ? [`${platformFolder}/busybox`, 'sh', bootFile] : ['/bin/sh', bootFile]
  return { argv, hasShell: shell !== undefined }
}

/** One that needs nothing of the image: without the name of a loader in it. */
async function staticShell(): Promise<Buffer | undefined> {
  if (process.platform !== 'linux') return undefined
  for (const path of shells) {
    const bytes = await readFile(path).catch(() => undefined)
    if (bytes && !bytes.subarray(0, 64 * 1024).includes('/ld-')) return bytes
  }
  return undefined
}

const owned = { uid: 0, gid: 0 }
const nameOf = (path: string) => path.slice(1)

/** Writable for the user of the image, whoever it is. */
function addFolder(archive: Pack, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    archive.entry({ name: nameOf(path), type: 'directory', mode: 0o777, ...owned }, (error) =>
      error ? reject(error) : resolve(),
    )
  })
}

function addText(archive: Pack, path: string, content: string | Buffer, mode: number): Promise<void> {
  return new Promise((resolve, reject) => {
    archive.entry({ name: nameOf(path), mode, ...owned }, content, (error) =>
      error ? reject(error) : resolve(),
    )
  })
}

async function addFile(archive: Pack, { name, path, byteSize }: LocalFile): Promise<void> {
  const entry = archive.entry({ name: nameOf(`${inputsDir}/${name}`), mode: 0o444, size: byteSize, ...owned })
  await pipeline(createReadStream(path), entry)
  await finished(entry).catch(() => undefined)
}
