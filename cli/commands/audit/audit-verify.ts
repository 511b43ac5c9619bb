import type { ChainPosition } from '@sandbox-jobs/contract/audit/chain-check.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { ExportUnreadable, verifyAuditExport } from '@sandbox-jobs/server/main/verify/verify-audit.ts'
import { type Command, Option } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { linesOfFile, linesOfService } from '../../audit/export-lines.ts'
import { parseHead, showVerified } from '../../audit/show-verified.ts'
import { CliError, exitCodes } from '../../failure.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'
import { readKeys } from '../../verify/read-keys.ts'

interface Options extends ConnectionOptions {
  file?: string
  key?: string
  head?: ChainPosition
}

export const auditVerifyCommand = (): Command =>
  serviceCommand('verify')
    .description('verify the audit log of the company; names the first entry that was changed or is missing')
    .option('--file <file>', 'an export instead of the log of the service; needs no login')
    .option('--key <file>', 'file with trusted public keys as PEM (default: those of the service)')
    .addOption(
      new Option(
        '--head <sequence:hash>',
        'a head that was shown earlier and has to be in the log',
      ).argParser(parseHead),
    )
    .addHelpText(
      'after',
      `
Every entry is hashed again here. Exits with 1 if the log is broken. A file needs --key for the signature of its head.

Examples:
  sandbox audit verify
  sandbox audit export > audit.jsonl
  sandbox signing-keys > keys.pem
  sandbox audit verify --file audit.jsonl --key keys.pem`,
    )
    .action((options: Options) =>
      withSession(options, (session) => verify(session, options), { anonymous: options.file !== undefined }),
    )

async function verify(session: Session, { file, key, head }: Options): Promise<void> {
  const pems = await keysOf(session, { file, key })
  const lines = file === undefined ? linesOfService(session) : linesOfFile(file)
  const verified = await verifyAuditExport(lines, { pems, remembered: head ? [head] : [] }).catch(unreadable)
  if (verified.broken) process.exitCode = exitCodes.failed
  session.report.result(showVerified([verified]), verified)
}

async function keysOf(
  session: Session,
  { file, key }: { file: string | undefined; key: string | undefined },
): Promise<string[]> {
  if (key !== undefined) return [await readKeys(key)]
  if (file !== undefined)
    throw new CliError('No trusted public key is given.', {
      hint: 'Name the public keys with --key; sandbox signing-keys prints those of a service.',
      code: 'cli_usage',
      exitCode: exitCodes.usage,
    })
  session.report.progress(
    'The public keys come from the service itself: use --key to verify with keys that you trust.',
  )
  const { items } = await session.publicClient.call(allRoutes.listSigningKeys)
  return items.map(({ public_key_pem }) => public_key_pem)
}

function unreadable(error: unknown): never {
  if (!(error instanceof ExportUnreadable)) throw error
  throw new CliError(`The export cannot be verified: ${error.message}.`, {
    hint: 'Export the log again: sandbox audit export > audit.jsonl',
    code: 'cli_audit_export',
  })
}
