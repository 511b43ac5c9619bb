import { type ImageProof, imageChecks } from '@sandbox-jobs/server/main/verify/verify-image.ts'
import { escapeControls } from '../output/escape-controls.ts'
import { paint } from '../output/paint.ts'
import { table } from '../output/table.ts'

const checks = [...imageChecks, 'files'] as const

/** The meaning of each slug for the person who verifies; other slugs are shown unchanged. */
const meanings: Record<string, string> = {
  signing_key_unknown: 'it is signed with a key that you do not trust',
  layer_damaged: 'the bytes of the image differ from the signed ones',
  file_unknown: 'it contains a file that is not signed',
  archive_invalid: 'it is not a tar of an OCI layout',
  layout_missing: 'it is not an OCI layout',
}

/** A table of the checks, followed by what the image was built from. */
export function showProof(proof: ImageProof): string {
  const failedAt = 'failed' in proof ? proof.passed.length : checks.length
  const rows = checks.map((check, at) => {
    if (at < failedAt) return [check, 'ok', proof.passed[at]?.found ?? '']
    if (at > failedAt || !('failed' in proof)) return [check, 'not checked', '']
    const meaning = meanings[proof.failed]
    return [check, 'FAILED', meaning ? `${proof.failed}: ${meaning}` : proof.failed]
  })
  const text = table(['CHECK', 'RESULT', 'FOUND'], rows)
  if (!('image' in proof)) return `${text}\n${paint('This image cannot be trusted.', 'red')}\n`
  const verdict = paint('This is the image that was built and signed.', 'green')
  return `${text}\n${aligned(origins(proof))}\n${verdict}\n`
}

function aligned(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  const line = ([name, text]: [string, string]) => escapeControls(`${name.padEnd(width)}  ${text}`)
  return rows.map((row) => `${line(row)}\n`).join('')
}

function origins({ image }: Extract<ImageProof, { image: unknown }>): [string, string][] {
  const { buildDefinition, runDetails } = image.statement.predicate
  const { builder, metadata, byproducts } = runDetails
  const tools = Object.entries(builder.version).map(([name, version]) => `${name} ${version}`)
  const { runner_release, policy_revision } = buildDefinition.internalParameters
  const digests = (verb: string, resources: typeof byproducts) =>
    resources.map(({ name, digest }): [string, string] => [`${verb} ${name}`, `sha256:${digest.sha256}`])
  return [
    ['version', image.versionId],
    ['built', `${metadata.startedOn} to ${metadata.finishedOn}, ${metadata.invocationId}`],
    ['by', `${builder.id}, ${tools.join(', ')}`],
    ['runs on', `${runner_release}, ${policy_revision}`],
    ...digests('from', buildDefinition.resolvedDependencies),
    ...digests('made', byproducts),
  ]
}
