-- Where the edges led to that went before.
update retired set target_id = cast(content as json) ->> 'target_id' where kind = 'edge';
