import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { Readable } from 'node:stream'
import type { SessionFile } from '@sandbox-jobs/contract/resources/sessions/session-file.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { CliError, exitCodes } from '../../failure.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { findRoom } from '../../lookup/find-room.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { bytesText } from '../../output/sizes.ts'
import { table } from '../../output/table.ts'
import { checkedSegments } from '../../runs/artifact-path.ts'
import { bodyOf, modifiedAtOf } from '../../runs/download.ts'
import { saveArtifact } from '../../runs/save-artifact.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'
import { sessionCommand } from './session-command.ts'

interface Options extends ConnectionOptions {
  room: string
}

export const sessionLsCommand = (): Command =>
  sessionCommand('ls', 'list the files of a session, or of one of its folders')
    .argument('[folder]', 'path of a folder')
    .option('--all', 'also what is in its folders')
    .action((sid: string, folder: string | undefined, options: Options & { all?: boolean }) =>
      withSession(options, async (session) => {
        const reference = await findSession(session, sid, options)
        const items = await list(session, reference, { path: folder, depth: options.all ? 'all' : 'one' })
        const rows = items.map((file) => [
          file.kind,
          file.kind === 'file' ? bytesText(file.byte_size) : '',
          escapeControls(file.target === null ? file.path : `${file.path} -> ${file.target}`),
        ])
        const text = rows.length === 0 ? 'It is empty.\n' : table(['KIND', 'SIZE', 'PATH'], rows)
        session.report.result(text, { session_id: sid, items })
      }),
    )

export const sessionPutCommand = (): Command =>
  sessionCommand('put', 'write a file of this machine to a session')
    .argument('<file>', 'file of this machine')
    .argument('[path]', 'path in the session (default: the name of the file)')
    .action((sid: string, file: string, path: string | undefined, options: Options) =>
      withSession(options, async (session) => {
        const found = await stat(file).catch(() => undefined)
        if (!found?.isFile()) throw noSuchFile(file)
        const written = await session.client.call(allRoutes.writeSessionFile, {
          params: await findSession(session, sid, options),
          query: { path: path ?? basename(file) },
          upload: Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>,
          headers: { 'content-length': String(found.size) },
        })
        report(session, 'Wrote', written)
      }),
    )

export const sessionGetCommand = (): Command =>
  sessionCommand('get', 'download files of a session')
    .argument('[paths...]', 'only these files, by path; without one, all')
    .option('--out <dir>', 'folder to save in; nothing is written outside it', '.')
    .option('--force', 'replace existing files')
    .action((sid: string, paths: string[], options: Options & { out: string; force?: boolean }) =>
      withSession(options, async (session) => {
        const reference = await findSession(session, sid, options)
        const all = (await list(session, reference, { depth: 'all' })).filter(({ kind }) => kind === 'file')
        const missing = paths.find((path) => !all.some((file) => file.path === path))
        if (missing !== undefined) throw noSuchPath(missing, sid)
        const chosen = paths.length === 0 ? all : all.filter(({ path }) => paths.includes(path))
        // All names are checked before the first file is written.
        for (const { path } of chosen) checkedSegments(path)
        const folder = resolve(options.out)
        for (const { path, byte_size: byteSize, digest } of chosen) {
          const response = await session.client.call(allRoutes.readSessionFile, {
            params: reference,
            query: { path },
          })
          await saveArtifact(bodyOf(response), {
            folder,
            relativePath: path,
            byteSize,
            digest: digest ?? '',
            modifiedAt: modifiedAtOf(response),
            replace: options.force === true,
          })
          session.report.progress(`saved ${escapeControls(path)} (${bytesText(byteSize)})`)
        }
        const count = `${chosen.length} ${chosen.length === 1 ? 'file' : 'files'}`
        session.report.result(`${count} in ${escapeControls(folder)}\n`, { session_id: sid, saved: chosen })
      }),
    )

export const sessionMkdirCommand = (): Command =>
  sessionCommand('mkdir', 'create a folder in a session')
    .argument('<path>', 'path of the folder')
    .action((sid: string, path: string, options: Options) =>
      withSession(options, async (session) => {
        const params = await findSession(session, sid, options)
        report(
          session,
          'Created',
          await session.client.call(allRoutes.createSessionFolder, { params, body: { path } }),
        )
      }),
    )

export const sessionMvCommand = (): Command =>
  sessionCommand('mv', 'move a file or a folder of a session')
    .argument('<from>', 'its path')
    .argument('<to>', 'its new path')
    .action((sid: string, from: string, to: string, options: Options) =>
      withSession(options, async (session) => {
        const params = await findSession(session, sid, options)
        report(
          session,
          'Moved to',
          await session.client.call(allRoutes.moveSessionFile, { params, body: { from, to } }),
        )
      }),
    )

export const sessionRmCommand = (): Command =>
  sessionCommand('rm', 'delete a file of a session, or a folder with all that is in it')
    .argument('<path>', 'its path')
    .action((sid: string, path: string, options: Options) =>
      withSession(options, async (session) => {
        const params = await findSession(session, sid, options)
        const after = await session.client.call(allRoutes.deleteSessionFile, { params, query: { path } })
        session.report.result(`Deleted ${escapeControls(path)}.\n`, after)
      }),
    )

interface SessionReference {
  cid: string
  sid: string
}

const findSession = async (session: Session, sid: string, { room }: Options): Promise<SessionReference> => ({
  cid: await findRoom(session, room),
  sid,
})

const list = (
  { client }: Session,
  params: SessionReference,
  { path, depth }: { path?: string | undefined; depth: 'one' | 'all' },
): Promise<SessionFile[]> =>
  allPages((page) =>
    client.call(allRoutes.listSessionFiles, {
      params,
      query: { ...page, depth, ...(path !== undefined && { path }) },
    }),
  )

const report = (session: Session, what: string, file: SessionFile): void =>
  session.report.result(`${what} ${escapeControls(file.path)}.\n`, file)

const noSuchFile = (path: string) =>
  new CliError(`There is no file ${escapeControls(path)}.`, {
    hint: 'Name a file of this machine.',
    code: 'cli_input',
    exitCode: exitCodes.usage,
  })

const noSuchPath = (path: string, sid: string) =>
  new CliError(`${sid} has no file ${escapeControls(path)}.`, {
    hint: `sandbox session ls ${sid} --all shows what it has.`,
    code: 'cli_unknown_name',
  })
