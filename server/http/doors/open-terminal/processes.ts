import { commandMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { Omissible } from '@sandbox-jobs/contract/schema.ts'
import { Type } from 'typebox'
import { PlainError } from '../../../base/errors/plain-error.ts'
import type { DoorServices } from '../../../doors/door-services.ts'
import type { Command } from '../../../doors/terminal/command.ts'
import { readOutput } from '../../../doors/terminal/command-output.ts'
import { killCommand, listCommands, readCommand, startCommand } from '../../../doors/terminal/commands.ts'
import { modelPath } from './files/working-directory.ts'
import { type Operation, operation, type TerminalCall } from './operation.ts'
import { processOf, withOutput } from './process-answer.ts'
import { TerminalPath } from './terminal-paths.ts'

/** Most commands end within it, and a request that waits longer gains a model nothing. */
const waitSeconds = 5

const wait = Type.Optional(
  Type.Number({
    minimum: 0,
    maximum: 300,
    description: `Seconds to wait for the end of the command before the answer. By default ${waitSeconds}.`,
  }),
)
const tail = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'Return only the last N lines of the output.',
  }),
)
const offset = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Where to continue: next_offset of the previous answer, to get only new output.',
  }),
)

const ExecRequest = Type.Object({
  command: Type.String({
    minLength: 1,
    maxLength: commandMaxBytes,
    pattern: '^[^\\u0000]+$',
    description: 'Shell command to execute. Supports chaining (&&, ||, ;), pipes (|), and redirections.',
  }),
  cwd: Omissible(TerminalPath('Directory in which the command runs, absolute or from the current one.')),
  env: Omissible(
    Type.Record(Type.String(), Type.String(), { description: 'Extra environment variables of the command.' }),
  ),
})

interface Output {
  offset?: number
  tail?: number
}

/** Commands as processes. */
export function processOperations(services: DoorServices): Operation[] {
  const answer = async (call: TerminalCall<unknown, unknown>, command: Command, wanted: Output) => {
    const wish = { offset: wanted.offset ?? 0, fromEnd: wanted.tail !== undefined }
    const output = await readOutput(services, call.person, { command, wish })
    const timeoutSeconds = call.open.door.timeout_seconds
    return withOutput(command, { output, tail: wanted.tail, timeoutSeconds })
  }
  const execute = operation({
    method: 'POST',
    path: '/execute',
    tool: {
      operationId: 'run_command',
      summary: 'Execute a command',
      description:
        'Run a shell command in a sandbox of its own and return its ID, its output and its exit code. Files below the home directory stay for the next command; processes and other files do not. One command runs at a time, others wait. The command reads no input.',
    },
    query: Type.Object({ wait, tail }),
    body: ExecRequest,
    maxBodyBytes: 8 * commandMaxBytes,
    isWriting: true,
    handle: async (call) => {
      const { command: text, cwd, env } = call.body
      const folder = await modelPath(services, call, cwd ?? undefined)
      const command = { text, folder, env: env ?? {} }
      const waiting = { seconds: call.query.wait ?? waitSeconds, signal: call.signal }
      const started = await startCommand(services, call.person, { command, wait: waiting })
      return answer(call, started, call.query)
    },
  })
  const status = operation({
    method: 'GET',
    path: '/execute/{process_id}/status',
    tool: {
      operationId: 'get_process_status',
      summary: 'Get command status and output',
      description: 'Return new output of a command since the given offset, its status and its exit code.',
    },
    query: Type.Object({ wait, offset, tail }),
    handle: async (call) => {
      const waiting = { seconds: call.query.wait ?? waitSeconds, signal: call.signal }
      return answer(
        call,
        await readCommand(services, call.person, { id: idOf(call), wait: waiting }),
        call.query,
      )
    },
  })
  return [listing(services), execute, status, input(services), kill(services)]
}

const idOf = ({ params }: TerminalCall<unknown, unknown>): string => params.process_id ?? ''

const listing = (services: DoorServices): Operation =>
  operation({
    method: 'GET',
    path: '/execute',
    tool: {
      operationId: 'list_processes',
      summary: 'List commands',
      description: 'Return the newest commands, those that run or wait and those that have ended.',
    },
    handle: async ({ person }) => (await listCommands(services, person)).map(processOf),
  })

/** A command has nobody who types: its standard input is empty. */
const input = (services: DoorServices): Operation =>
  operation({
    method: 'POST',
    path: '/execute/{process_id}/input',
    handle: async (call) => {
      const now = { seconds: 0, signal: call.signal }
      const { end } = await readCommand(services, call.person, { id: idOf(call), wait: now })
      throw new PlainError(400, end ? 'Process has already exited' : 'Process stdin is closed')
    },
  })

const kill = (services: DoorServices): Operation =>
  operation({
    method: 'DELETE',
    path: '/execute/{process_id}',
    tool: {
      operationId: 'kill_process',
      summary: 'Kill a running command',
      description: 'Terminate a command. The files are then those from before it.',
    },
    query: Type.Object({
      force: Type.Optional(
        Type.Boolean({ description: 'Without effect: a command is always killed at once.' }),
      ),
    }),
    handle: async (call) => {
      await killCommand(services, call.person, { id: idOf(call), signal: call.signal })
      return { status: 'killed' }
    },
  })
