import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { networkOf } from '../http/client-network.ts';

/** The network that a wrong token counts against. All of 127.0.0.0/8 is this one machine. */
export function guesserOf({ ip, socket }: Request): string {
  const network = networkOf(ip, socket);
  const isLoopback = ipaddr.isValid(network) && ipaddr.parse(network).range() === 'loopback';
  return isLoopback ? 'loopback' : network;
}
