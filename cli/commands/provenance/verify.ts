import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import zlib from 'node:zlib'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type ImageProof, proveImage } from '@sandbox-jobs/server/main/verify/verify-image.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { CliError, exitCodes } from '../../failure.ts'
import { findVersion } from '../../lookup/find-version.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'
import { downloadImage } from '../../verify/download-image.ts'
import { readKeys } from '../../verify/read-keys.ts'
import { showProof } from '../../verify/show-proof.ts'

interface Options extends ConnectionOptions {
  key: string[]
}

export const verifyCommand = (): Command =>
  serviceCommand('verify')
    .description('verify an image: its signature, its provenance and all its bytes')
    .argument('<image>', 'FILE.tar or FOLDER with an OCI layout, or ENVIRONMENT@VERSION of the service')
    .option('--key <file>', 'file with trusted public keys as PEM; repeatable', collect, [])
    .addHelpText(
      'after',
      `
A file or a folder is proved offline, and needs --key. A version of the service is downloaded first; without --key the
keys are the service's own word.

Exits with 1 when the image cannot be trusted. Needs Node 22.15 or later, which can unpack layers.

Examples:
  sandbox signing-keys > keys.pem
  sandbox env export python@3 --out python.tar
  sandbox verify python.tar --key keys.pem`,
    )
    .action((image: string, options: Options) =>
      withSession(options, (session) => verify(session, image, options.key), { anonymous: true }),
    )

const collect = (value: string, former: string[]) => [...former, value]

async function verify(session: Session, target: string, keyFiles: string[]): Promise<void> {
  requireZstd()
  const local = await stat(target).then(
    () => true,
    () => false,
  )
  const keys = await Promise.all(keyFiles.map(readKeys))
  const proof = local ? await proveLocal(target, keys) : await proveRemote(session, target, keys)
  const found = 'image' in proof ? { statement: proof.image.statement } : { failed: proof.failed }
  const document = { trusted: 'image' in proof, passed: proof.passed, ...found }
  session.report.result(showProof(proof), document)
  if ('failed' in proof) process.exitCode = exitCodes.failed
}

/** Without it every layer would seem damaged. */
function requireZstd(): void {
  if ('createZstdDecompress' in zlib) return
  throw new CliError(`Node ${process.version} cannot unpack the layers of images.`, {
    hint: 'Run it with Node 22.15 or later; this is needed only to verify images.',
    code: 'cli_node_too_old',
  })
}

async function proveLocal(path: string, keys: string[]): Promise<ImageProof> {
  if (keys.length > 0) return proveImage(path, keys)
  throw new CliError('No trusted public key is given.', {
    hint: 'Name the public keys with --key; sandbox signing-keys prints those of a service.',
    code: 'cli_usage',
    exitCode: exitCodes.usage,
  })
}

/** The downloaded image must also be the requested version. */
async function proveRemote(session: Session, wanted: string, keys: string[]): Promise<ImageProof> {
  const version = await findVersion(session, wanted)
  if (keys.length === 0) {
    session.report.progress(
      'The public keys come from the service itself: use --key to verify with keys that you trust.',
    )
    const { items } = await session.publicClient.call(allRoutes.listSigningKeys)
    keys = items.map(({ public_key_pem }) => public_key_pem)
  }
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-verify-'))
  try {
    const path = join(folder, 'image.tar')
    await downloadImage(session, version, path)
    const proof = await proveImage(path, keys)
    if ('image' in proof && proof.image.versionId !== version.id) {
      return { passed: [], failed: 'image_of_another_version' }
    }
    return proof
  } finally {
    await rm(folder, { recursive: true })
  }
}
