/** The platforms whose requests a door understands. */
export const doorKinds = ['dify', 'piston', 'librechat', 'open_terminal'] as const
export type DoorKind = (typeof doorKinds)[number]
