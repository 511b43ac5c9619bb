import { Option } from 'commander'

/** The owner of a task, and of its environment if that is new. */
export const departmentOption = (): Option =>
  new Option(
    '--department <department>',
    'owner, by name or id (default: that of the task file, then the company or the only department you manage)',
  )

/** Nothing where the option is not given. */
export const departmentOf = ({ department }: { department?: string }): { department?: string } =>
  department === undefined ? {} : { department }
