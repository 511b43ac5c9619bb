import { type CatalogueEntry, entry } from './catalogue-entry.ts'

/** Runs at times of a calendar. */
export const scheduleErrors = {
  schedule_limit: entry(
    409,
    'The chatroom or the company has its maximum of schedules: 50 and 200.',
    'Delete one that is not needed.',
  ),
  schedule_needs_confirmation: entry(
    409,
    'A person has to confirm each run of this task, so no schedule can start it.',
    'Use a task that requires no confirmation.',
  ),
} satisfies Record<string, CatalogueEntry>
