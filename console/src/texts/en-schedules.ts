import { numbersOf } from './numbers.ts'

const { counted } = numbersOf('en')

/** Texts of schedules. */
export const enSchedules = {
  schedules: {
    list: 'Schedules',
    title: (room: string) => `Schedules of ${room}`,
    why: 'A schedule runs a task at set times, in the name of the person who made it or changed it last.',
    none: 'No task of this room runs by a schedule.',
    make: 'Make a schedule',
    task: 'Task',
    name: 'Name',
    when: 'When',
    whenHelp: 'Minute, hour, day of the month, month and day of the week, such as 0 8 * * mon-fri',
    zone: 'Time zone',
    missed: 'Times that the service misses',
    policies: { skip: 'are skipped', once: 'start one run together' },
    preview: 'Next times and price',
    next: 'Next times',
    ticks: (count: number) => `${counted(count, 'run', 'runs')} within 30 days`,
    most: (amount: string) => `Up to ${amount} within 30 days`,
    usual: (amount: string) => `Usually ${amount} within 30 days`,
    lastRuns: 'Last runs',
    noTicks: 'It has not run yet.',
    run: 'Run',
    refused: (code: string) => `refused: ${code}`,
    skipped: {
      missed: 'missed',
      previous_run_active: 'the run before it had not ended',
      too_many_failures: 'paused after failures in a row',
      authority_revoked: 'paused: its person may no longer run it',
      restored_from_backup: 'came before a backup was restored',
    },
    paused: {
      by_person: 'Paused',
      authority_revoked: 'Paused: its person may no longer run the task here',
      too_many_failures: 'Paused after five failures in a row',
    },
    pause: 'Pause',
    pauseNamed: (name: string) => `Pause ${name}`,
    resume: 'Resume',
    resumeNamed: (name: string) => `Resume ${name}`,
    change: 'Change',
    changeNamed: (name: string) => `Change ${name}`,
    changeWhy: 'Its runs are in your name once you have changed it, and earlier failures no longer count.',
    staysPaused: 'It stays paused until somebody resumes it.',
    notOffered: 'This room no longer offers the task of the schedule.',
    noChange: 'Nothing is changed.',
    save: 'Save',
    remove: 'Delete',
    removeNamed: (name: string) => `Delete ${name}`,
    removeWhy: 'It starts no run from then on. Its runs stay.',
  },
}

export type EnSchedules = typeof enSchedules
