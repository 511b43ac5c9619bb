import { scriptMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { FastifyInstance } from 'fastify'
import type { DoorServices } from '../../doors/door-services.ts'
import { type ProgramResult, readFileBeginning } from '../../doors/programs/program-result.ts'
import { compileArtifacts, programScript } from '../../doors/programs/program-script.ts'
import { runProgram } from '../../doors/programs/run-program.ts'
import { type DoorCall, type DoorMounting, doorMounter, type Refuse } from './door-mount.ts'
import { compileStage, type PistonStage, runStage } from './piston-answer.ts'
import { pistonJob } from './piston-request.ts'

/*
 * The door in the form of Piston's HTTP API, version 2: a program of one or more files is compiled where its language needs
 * that, and run. The socket for programs that a person types into is not served, and packages are those of the environments.
 */

const refuse: Refuse = (reply, { status, message }) => {
  reply.code(status === 422 || status === 409 ? 400 : status).send({ message })
}

export function mountPiston(app: FastifyInstance, options: DoorMounting, deps: DoorServices): void {
  const mount = doorMounter(app, options, { kind: 'piston', refuse })
  mount({
    method: 'GET',
    path: '/api/v2/runtimes',
    handle: async ({ open }) =>
      open.runtimes.map(({ language, version, aliases }) => ({ language, version, aliases })),
  })
  mount({
    method: 'POST',
    path: '/api/v2/execute',
    // A published client of Piston says nothing of its bodies.
    readsTextAsJson: true,
    maxBodyBytes: 2 * scriptMaxBytes,
    isWriting: true,
    handle: (call) => execute(deps, call),
  })
}

async function execute(deps: DoorServices, { open, request, signal }: DoorCall) {
  const job = pistonJob(open, request.body)
  const { runtime, timeouts } = job
  const isCompiled = runtime.compile_command !== null
  const timeoutSeconds = Math.max(1, Math.ceil((timeouts.run + (isCompiled ? timeouts.compile : 0)) / 1000))
  const script = programScript({
    files: job.files,
    sources: job.sources,
    args: job.args,
    stdin: job.stdin,
    runCommand: runtime.run_command,
    compileCommand: runtime.compile_command,
    compiling: 'apart',
  })
  const program = { runtime, script, timeoutSeconds, wantsNetwork: true }
  const result = await runProgram(deps, open, { program, signal })
  const compile = isCompiled ? await compiledOf(deps, { open, result, signal }) : undefined
  const { language, version } = runtime
  // A program that was not compiled was not run: Piston then answers the one stage for both.
  const run = compile && compile.code !== 0 ? compile : runStage(result, timeoutSeconds)
  return { ...(compile && { compile }), run, language, version }
}

/** Undefined if compiling did not end, which the stage of the run then says. */
async function compiledOf(
  deps: DoorServices,
  { open, ...of }: Pick<DoorCall, 'open' | 'signal'> & { result: ProgramResult },
): Promise<PistonStage | undefined> {
  const read = (path: string) => readFileBeginning(deps, open, { ...of, path })
  const code = await read(compileArtifacts.code)
  if (code === undefined) return undefined
  return compileStage({
    code: Number(code),
    stdout: (await read(compileArtifacts.stdout)) ?? '',
    stderr: (await read(compileArtifacts.stderr)) ?? '',
  })
}
