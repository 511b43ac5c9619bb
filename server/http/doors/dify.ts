import { scriptMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { mainFileOf, runtimeNamed } from '../../doors/catalogue/languages.ts'
import type { DoorServices } from '../../doors/door-services.ts'
import type { ProgramResult } from '../../doors/programs/program-result.ts'
import { programScript } from '../../doors/programs/program-script.ts'
import { runProgram } from '../../doors/programs/run-program.ts'
import { validatorOf } from '../requests/validation.ts'
import { type DoorCall, type DoorMounting, doorMounter, type Refuse } from './door-mount.ts'
import { endedWords } from './ended-words.ts'

/*
 * The door for Dify, in the form of dify-sandbox: its client posts a program in Python or JavaScript and reads `code`, `message`
 * and `data`. Any answer but 200 makes that client report that the service is down, so a refusal that a person can act on is
 * 200 with a negative `code`, as dify-sandbox answers too.
 */

const RunRequest = Type.Object({
  language: Type.String({ maxLength: 64 }),
  code: Type.String({ minLength: 1, maxLength: scriptMaxBytes }),
  preload: Type.Optional(Type.Union([Type.String({ maxLength: scriptMaxBytes }), Type.Null()])),
  enable_network: Type.Optional(Type.Boolean()),
})
const checkRun = validatorOf('body', RunRequest)
const checkLanguage = validatorOf('query', Type.Object({ language: Type.String({ maxLength: 64 }) }))

const success = (data: unknown) => ({ code: 0, message: 'success', data })
const failure = (code: number, message: string) => ({ code, message, data: null })

const refuse: Refuse = (reply, { status, message }) => {
  if (status === 401) return void reply.code(401).send(failure(-401, 'Unauthorized'))
  const isBusy = status === 429 || status === 503
  reply.code(isBusy ? 503 : 200).send(failure(isBusy ? -503 : -status, message))
}

export function mountDify(app: FastifyInstance, options: DoorMounting, deps: DoorServices): void {
  app.get('/doors/dify/health', (_request, reply) =>
    reply.type('application/json').send(JSON.stringify('ok')),
  )
  const mount = doorMounter(app, options, { kind: 'dify', refuse })
  mount({
    method: 'POST',
    path: '/v1/sandbox/run',
    maxBodyBytes: 2 * scriptMaxBytes,
    isWriting: true,
    handle: async (call) => {
      checkRun(call.request.body)
      return run(deps, call, call.request.body as Static<typeof RunRequest>)
    },
  })
  for (const path of ['', '/refresh'])
    mount({
      method: 'GET',
      path: `/v1/sandbox/dependencies${path}`,
      isWriting: true,
      handle: (call) => listDependencies(deps, call),
    })
  mount({
    method: 'POST',
    path: '/v1/sandbox/dependencies/update',
    handle: async () =>
      failure(-400, 'The packages are those of the environment. Build a new version of it.'),
  })
}

async function run(
  deps: DoorServices,
  call: DoorCall,
  { language, code, preload, enable_network }: Static<typeof RunRequest>,
) {
  const source = preload?.trim() ? `${preload}\n${code}` : code
  const ended = await execute(deps, call, { language, source, wantsNetwork: enable_network === true })
  if (!ended) return unsupported(call)
  const { end, stdout, stderr } = ended
  return success({
    stdout: stdout.text,
    stderr: stderr.text,
    error: errorOf(call, ended),
    exit_code: exitOf(end),
  })
}

function unsupported({ reply }: DoorCall) {
  reply.code(400)
  return failure(-400, 'unsupported language')
}

async function execute(
  deps: DoorServices,
  { open, signal }: DoorCall,
  { language, source, wantsNetwork }: { language: string; source: string; wantsNetwork: boolean },
): Promise<ProgramResult | undefined> {
  const runtime = runtimeNamed(open.runtimes, language)
  if (!runtime) return undefined
  const script = programScript({
    files: [{ path: mainFileOf(runtime), content: Buffer.from(source) }],
    args: [],
    runCommand: runtime.run_command,
    compileCommand: runtime.compile_command,
    compiling: 'shared',
  })
  const { timeout_seconds: timeoutSeconds } = open.door
  return runProgram(deps, open, { program: { runtime, script, timeoutSeconds, wantsNetwork }, signal })
}

/** Empty for a program that succeeded, whatever it wrote to its error output: Dify fails the step otherwise. */
function errorOf({ open }: DoorCall, { end, stdout, stderr }: ProgramResult): string {
  const words = endedWords(end, open.door.timeout_seconds)
  if (words !== undefined) return [words, stderr.text].filter((text) => text !== '').join('\n')
  if (end.kind === 'exited' && end.code === 0)
    return stdout.isCut ? 'The program printed more than 1 MiB, of which this is the beginning.' : ''
  const ended =
    end.kind === 'signalled'
      ? `process ended by signal ${end.signal}`
      : `process exited with code ${exitOf(end)}`
  return [ended, stderr.text].filter((text) => text !== '').join('\n')
}

const exitOf = (end: ProgramResult['end']): number => (end.kind === 'exited' ? end.code : -1)

/** Lists what a program finds: the packages of the image that it runs on. */
const packagesProgram = `import json
from importlib.metadata import distributions
found = {d.metadata['Name']: d.version for d in distributions() if d.metadata['Name']}
print(json.dumps([{'name': n, 'version': found[n]} for n in sorted(found, key=str.lower)]))
`

async function listDependencies(deps: DoorServices, call: DoorCall) {
  checkLanguage(call.request.query)
  const { language } = call.request.query as { language: string }
  if (language !== 'python3') return unsupported(call)
  const ended = await execute(deps, call, { language, source: packagesProgram, wantsNetwork: false })
  if (!ended) return unsupported(call)
  const dependencies =
    ended.end.kind === 'exited' && ended.end.code === 0 ? parsed(ended.stdout.text) : undefined
  return dependencies
    ? success({ dependencies })
    : failure(-500, errorOf(call, ended) || 'The packages could not be listed.')
}

function parsed(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
