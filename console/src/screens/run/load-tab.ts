import type { RunTab } from './tabs.ts'

/** Loads the code of a part of a run, when it is opened for the first time or its address is about to be. */
export const loadTab = {
  result: () => import('./result-tab.tsx'),
  log: () => import('./log-tab.tsx'),
  files: () => import('./files-tab.tsx'),
  input: () => import('./input-tab.tsx'),
  network: () => import('./network-tab.tsx'),
  usage: () => import('./usage-tab.tsx'),
} satisfies Record<RunTab, () => Promise<object>>
