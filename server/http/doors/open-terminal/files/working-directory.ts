import { Type } from 'typebox'
import { PlainError } from '../../../../base/errors/plain-error.ts'
import { homeDir } from '../../../../doors/terminal/command-script.ts'
import { setWorkingFolder, workingFolder } from '../../../../doors/terminal/person-files.ts'
import type { SessionServices } from '../../../../sessions/session-services.ts'
import { type Operation, operation, type TerminalCall } from '../operation.ts'
import { absolutePath, isFromRoot, keptPath, shownPath, TerminalPath, wayHome } from '../terminal-paths.ts'

/* The working directory of a conversation: that of the file panel, from which the paths of models are. */

type Call = TerminalCall<unknown, unknown>

/** Absolute. */
const directoryOf = async (deps: SessionServices, call: Call): Promise<string> =>
  shownPath(await workingFolder(deps, call))

/** A path of a model, absolute. Absent: the working directory. */
export async function modelPath(deps: SessionServices, call: Call, path = '.'): Promise<string> {
  return isFromRoot(path) ? absolutePath(path) : absolutePath(path, await directoryOf(deps, call))
}

export const directoryOperations = (deps: SessionServices): Operation[] => [
  operation({
    method: 'GET',
    path: '/files/cwd',
    handle: async (call) => ({
      cwd: await directoryOf(deps, call),
      home: homeDir,
      root: { path: homeDir, label: 'Home' },
    }),
  }),
  operation({
    method: 'POST',
    path: '/files/cwd',
    body: Type.Object({ path: TerminalPath('The new working directory.') }),
    isWriting: true,
    handle: async (call) => {
      // The file panel sends the server every folder that it shows.
      const folder = wayHome(call.body.path) ? undefined : keptPath(call.body.path)
      if (!(await setWorkingFolder(deps, call, folder))) throw new PlainError(404, 'Directory not found')
      return { cwd: shownPath(folder) }
    },
  }),
]
