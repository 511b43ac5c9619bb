import { Counter, Histogram } from 'prom-client'

export const buildsEnded = new Counter({
  name: 'sandbox_builds_ended_total',
  help: 'Builds that have ended, by state and error code.',
  labelNames: ['state', 'error'],
})

export const stageDuration = new Histogram({
  name: 'sandbox_build_stage_duration_seconds',
  help: 'Time that a build spends in a stage, by how the stage ended.',
  labelNames: ['stage', 'outcome'],
  buckets: [0.1, 0.5, 2, 10, 60, 300, 1800],
})
