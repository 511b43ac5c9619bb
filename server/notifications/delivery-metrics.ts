import { Counter } from 'prom-client'

export const deliveryTries = new Counter({
  name: 'sandbox_delivery_tries_total',
  help: 'Tries to deliver webhook posts and e-mails, by how they ended.',
  labelNames: ['kind', 'outcome'],
})
