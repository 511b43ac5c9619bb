import { numbersOf } from './numbers.ts'

const { counted } = numbersOf('en')

/** Texts of what a room has beside its jobs and runs. */
export const enRoom = {
  roomFiles: {
    list: 'Files',
    title: (room: string) => `Files of ${room}`,
    none: 'No file has been uploaded here.',
    add: 'Upload files',
    until: 'kept until',
    delete: 'Delete',
    deleteNamed: (name: string) => `Delete ${name}`,
    deleteWhy: 'Runs that took it cannot be repeated from then on.',
  },
  sessions: {
    list: 'Sessions',
    title: (room: string) => `Sessions of ${room}`,
    why: 'A session has files that stay between runs. A job finds them in /workspace/session if the run names the session.',
    none: 'You have no session here.',
    create: 'Make a session',
    ofOthers: 'Sessions of others',
    noneOfOthers: 'Nobody else has a session here.',
    unnamed: 'Session without a name',
    entries: (count: number) => counted(count, 'entry', 'entries'),
    sizeOf: (used: string, most: string) => `${used} of ${most}`,
    used: 'used',
    until: 'kept until',
    heldBy: 'held by a run',
    delete: 'Delete',
    deleteNamed: (name: string) => `Delete ${name}`,
    deleteWhy: (count: number) => `${counted(count, 'entry goes', 'entries go')} with it.`,
    deleteFolderWhy: 'The folder goes with everything that is in it.',
    deleteFileWhy: 'The next run does not find it any more.',
    folders: 'Folders',
    whole: 'The whole session',
    add: 'Upload files here',
    noFiles: 'Nothing is in it.',
    kinds: { file: 'file', folder: 'folder', link: 'link' },
    target: 'to',
    downloadNamed: (name: string) => `Download ${name}`,
    downloadAll: 'Download as zip',
  },
  quickRun: {
    list: 'Quick run',
    title: (room: string) => `Quick run in ${room}`,
    why: 'A script runs once, without a task on the menu of the room.',
    script: 'Script',
    scriptHelp:
      'The input is in the file that SERVICE_INPUTS_FILE names; the output goes into that of SERVICE_OUTPUT_FILE.',
    inputHelp: 'Any JSON.',
    noJson: 'This is no JSON.',
  },
}

export type EnRoom = typeof enRoom
