import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { QueryClient } from '@tanstack/react-query'
import { apiPages, apiQuery, readAgain } from '../api/queries.ts'

/** A session in the paths of routes. */
export type SessionPath = {
  cid: string
  sid: string
}

/** The sessions of the person in a room, the newest first. */
export const ownSessionsOf = (cid: string) => apiPages(allRoutes.listSessions, { params: { cid } })

/** Those of everybody, for who manages the room. */
export const roomSessionsOf = (cid: string) => apiPages(allRoutes.listRoomSessions, { params: { cid } })

export const sessionOf = (params: SessionPath) => apiQuery(allRoutes.readSession, { params })

/** The contents of one folder of a session; without a path, those of the whole. */
export const sessionFilesOf = (params: SessionPath, path: string | undefined) =>
  apiPages(allRoutes.listSessionFiles, { params, query: path === undefined ? {} : { path } })

/** After a change of a session or of its files. */
export const readSessionsAgain = (queries: QueryClient): Promise<void> =>
  readAgain(queries, [
    allRoutes.listSessions,
    allRoutes.listRoomSessions,
    allRoutes.readSession,
    allRoutes.listSessionFiles,
  ])
