import type { Action } from './action.ts'
import { companyManagers, everybody, roomManagers, roomPeople } from './role.ts'

const room = { subject: 'room', roles: roomPeople, refusal: 'hidden' } as const
const managed = { subject: 'room', roles: roomManagers, refusal: 'hidden' } as const

/** Runs, the files that they take, and their results. */
export const runActions = {
  'file.upload': { ...room, does: 'Upload an input file for runs of a room', key: 'allowed' },
  'file.read': { ...room, does: 'List the input files of a room and give them to runs', key: 'own' },
  'file.delete': { ...room, does: 'Delete an input file that the caller uploaded', key: 'own' },
  'file.delete_any': { ...managed, does: 'Delete any input file of a room', key: 403 },
  'run.submit': { ...room, does: 'Submit a run of a version that is shared with the room', key: 'allowed' },
  'run.list': { ...room, does: 'List the runs of a room', key: 'own' },
  'run.read': { ...room, does: 'Read a run, its content flags and artifacts', key: 'own' },
  'run.cancel': { ...room, does: 'Cancel a run', key: 'own' },
  'run.read_log': { ...room, does: 'Read the log and the usage of a run', key: 'own' },
  'run.read_result': { ...room, does: 'Read the output and the files of a run', key: 'own' },
  'run.read_network_log': { ...room, does: 'Read what a run was refused to connect to', key: 403 },
  'run.retry': { ...room, does: 'Run again what a run of the room ran', key: 405 },
  'run.retry_quick': { ...managed, does: 'Run again what a quick run ran', key: 405 },
  'run.quick': { ...managed, does: 'Quick-run scripts in a room', key: 403 },
  'run.delete_content': { ...managed, does: 'Delete the input and results of a run early', key: 403 },
  'run.link': { ...room, does: 'Create and revoke public links of a log or an output', key: 405 },
  'artifact.link': { ...room, does: 'Create and revoke public links of an artifact', key: 404 },
  'run.share': { ...room, does: 'Create, list and revoke links to the results of a run', key: 403 },
  'link.download': {
    does: 'Download by a public link',
    subject: 'token',
    roles: [],
    key: 'allowed',
    refusal: 'hidden',
  },
  'run.list_visible': {
    does: 'List the runs of all rooms that the caller is in or manages',
    subject: 'company',
    roles: everybody,
    key: 403,
    refusal: 'none',
  },
  'run.cancel_visible': {
    does: 'Cancel the runs that match, in all rooms that the caller is in or manages',
    subject: 'company',
    roles: everybody,
    key: 403,
    refusal: 'none',
  },
  'run.list_all': {
    does: 'List the runs of every room of the company, deleted ones too',
    subject: 'company',
    roles: companyManagers,
    key: 403,
    refusal: 'omitted',
  },
} as const satisfies Record<string, Action>
