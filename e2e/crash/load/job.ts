import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, publish, type Tenant } from '../../main-job/tenant.ts'
import { publishRowJob, type RowJob } from './row-jobs.ts'

/** Instructions for one job: its input, which it returns as its output. */
export interface JobInput {
  /** 13 characters, unique on this machine: identifies the job in the ledger. */
  nonce: string
  exit_code: number
  log_lines: number
  artifacts: number
  seconds: number
}

/** The file of a session to which each job adds its nonce. */
export const sessionLog = 'nonces'

/*
 * Its first and last actions are marks for the ledger. Before the first mark it starts no process and writes nothing: the shell
 * itself parses the one line of canonical JSON.
 */
const outputLine = `printf '%s' "$line" > "$SERVICE_OUTPUT_FILE"`
const workScript = `
read -r line < "$SERVICE_INPUTS_FILE"
field() { value=\${line#*"\\"$1\\":"}; value=\${value%%[,\\}]*}; value=\${value#\\"}; value=\${value%\\"}; }
field nonce; nonce=$value
echo "b:$nonce" > /proc/self/comm
field exit_code; exit_code=$value
field log_lines; log_lines=$value
field artifacts; artifacts=$value
field seconds; seconds=$value
while [ "$log_lines" -gt 0 ]; do echo "line $log_lines of $nonce"; log_lines=$((log_lines - 1)); done
while [ "$artifacts" -gt 0 ]; do echo "$nonce" > "$SERVICE_ARTIFACTS_DIR/$artifacts"; artifacts=$((artifacts - 1)); done
[ "$seconds" = 0 ] || sleep "$seconds"
${outputLine}
[ ! -d /workspace/session ] || echo "$nonce" >> /workspace/session/${sessionLog}
echo "e:$nonce" > /proc/self/comm
exit "$exit_code"
`

/** The versions that run the job: for submissions, for proposals of an agent, and for changed rows. */
export interface PublishedJob {
  version: string
  confirmed: string
  byRow: RowJob
}

/** Builds an almost empty image and publishes the job on it. */
export async function publishJob(tenant: Tenant): Promise<PublishedJob> {
  const folder = await mkdtemp(join(tmpdir(), 'crash-context-'))
  try {
    await writeFile(join(folder, 'Dockerfile'), 'FROM scratch\nCOPY note /note\n')
    await writeFile(join(folder, 'note'), 'nothing else is needed\n')
    const { vid: environmentVersion, attempt } = await build(tenant, folder)
    if (attempt.status !== 'completed') throw new Error(`the image is not built: ${JSON.stringify(attempt)}`)
    const job = { environmentVersion, workScript }
    return {
      version: await publish(tenant, { ...job, timeoutSeconds: 60 }),
      confirmed: await publish(tenant, {
        ...job,
        timeoutSeconds: 60,
        draft: { requires_confirmation: true },
      }),
      byRow: await publishRowJob(tenant, { ...job, beforeLine: outputLine }),
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}
