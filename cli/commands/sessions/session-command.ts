import type { Command } from 'commander'
import { roomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'

/** A command about one session. */
export const sessionCommand = (name: string, description: string): Command =>
  serviceCommand(name)
    .description(description)
    .argument('<session>', 'id of the session')
    .addOption(roomOption())
