import { Counter, Histogram } from 'prom-client'

export const runsEnded = new Counter({
  name: 'sandbox_runs_ended_total',
  help: 'Runs that have ended, by state and error code.',
  labelNames: ['state', 'error'],
})

export const stepDuration = new Histogram({
  name: 'sandbox_run_step_duration_seconds',
  help: 'Time that a run spends in a step of the worker.',
  labelNames: ['step'],
  buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600],
})

/** Classes of companies as in the gauges of the queue. */
export const queueWait = new Histogram({
  name: 'sandbox_run_queue_wait_seconds',
  help: 'Time from submission to the first claim, by whether the company had a run at work.',
  labelNames: ['company'],
  buckets: [0.02, 0.1, 0.5, 2, 10, 60, 600, 3600],
})
