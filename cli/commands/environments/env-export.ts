import { open, rename, rm } from 'node:fs/promises'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { CliError } from '../../failure.ts'
import { findVersion } from '../../lookup/find-version.ts'
import { bytesText } from '../../output/sizes.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'
import { downloadImage } from '../../verify/download-image.ts'

interface Options extends ConnectionOptions {
  out?: string
}

export const envExportCommand = (): Command =>
  serviceCommand('export')
    .description('save the image of a version with its signature and provenance, as a tar of its OCI layout')
    .argument('<version>', 'ENVIRONMENT@VERSION, such as python@3')
    .option('--out <file>', 'target file (default: VERSION-ID.oci.tar in this folder)')
    .action((wanted: string, options: Options) =>
      withSession(options, async (session) => {
        const version = await findVersion(session, wanted)
        const path = options.out ?? `${version.id}.oci.tar`
        const byteSize = await saveNew(path, (part) => downloadImage(session, version, part))
        session.report.result(`${path} (${bytesText(byteSize)})\n`, { path, byte_size: byteSize })
      }),
    )

/** The file appears under its name only when complete, and never replaces another file. */
async function saveNew(path: string, save: (part: string) => Promise<number>): Promise<number> {
  const holder = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
    throw new CliError(
      `${path} cannot be created: ${error.code === 'EEXIST' ? 'it already exists' : error.code}.`,
      {
        hint: 'Name another file with --out.',
        code: 'cli_in_the_way',
      },
    )
  })
  await holder.close()
  const part = `${path}.part`
  try {
    const byteSize = await save(part)
    await rename(part, path)
    return byteSize
  } catch (error) {
    await Promise.all([rm(part, { force: true }), rm(path, { force: true })])
    throw error
  }
}
