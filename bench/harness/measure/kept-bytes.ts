import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { agentPaths } from '../../../agent/host/paths.ts'

const run = promisify(execFile)

/** Bytes on disk of a service's images: in the object store and, unpacked, on the host. Links of one file count once. */
export async function keptBytes(dataDir: string): Promise<{ objects: number; trees: number }> {
  const [objects, trees] = await Promise.all([
    diskUsage(join(dataDir, 'objects/objects/images')),
    diskUsage(agentPaths(dataDir).images),
  ])
  return { objects, trees }
}

async function diskUsage(folder: string): Promise<number> {
  const { stdout } = await run('du', ['--summarize', '--block-size=1', folder])
  return Number.parseInt(stdout, 10)
}
