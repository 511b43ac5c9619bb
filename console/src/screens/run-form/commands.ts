import { urlOf } from '@sandbox-jobs/contract/client/request.ts'
import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import type { ExtendedSubmitRequest } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'

/** The run that a form would submit. */
export interface FormRun {
  cid: string
  taskId: string
  body: ExtendedSubmitRequest
}

/** One argument of a command, for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** JSON in which characters that a page does not show, or that change the order of others, are escaped. */
const visibleJson = (value: unknown): string =>
  Array.from(JSON.stringify(value), (character) =>
    plainText(character) === character ? character : escaped(character),
  ).join('')

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')

/** The command that submits the same run and shows its log and result. Files are those of the machine where it runs. */
export function cliCommand({ cid, taskId, body }: FormRun): string {
  const { input, timeout_seconds: timeout, files = [] } = body
  return [
    `sandbox run ${taskId} --room ${cid} --input ${quoted(visibleJson(input))}`,
    ...files.map(({ name }) => `--file ${quoted(plainText(name))}`),
    ...(timeout === undefined ? [] : [`--timeout ${timeout}`]),
    '--watch',
  ].join(' \\\n  ')
}

/** The request that submits the same run. A key of the company goes into `SANDBOX_API_KEY`. */
export const apiRequest = (origin: string, { cid, body }: FormRun): string =>
  [
    `curl --request ${allRoutes.submitExtendedRun.method} ${quoted(urlOf(origin, allRoutes.submitExtendedRun, { params: { cid } }))}`,
    '--header "X-Api-Key: $SANDBOX_API_KEY"',
    '--header "Idempotency-Key: $(uuidgen)"',
    "--header 'Content-Type: application/json'",
    `--data ${quoted(visibleJson(body))}`,
  ].join(' \\\n  ')
