"""Which adjectives a kind of noun takes, in the notation of `notation`.

A kind has adjectives in `short KIND` (after an owner, without 的: my red coat), `adjective KIND` (the cheap
coat), `predicate KIND` (the coat is beautiful) and `fault KIND` (the coat is too big).
"""

QUALITIES = """
short text:
    {age}
short clothes:
    {age} ; {color} * 2
short garment:
    {short clothes}
short accessory:
    {age} ; {color}
short food:
    {size}
short car:
    {age} * 2 ; {color}
short bike:
    {short car}
short thing:
    {size} ; {age}
short device:
    {age}
short key:
    {age}
short map:
    {size} ; {age}
short furniture:
    {size} ; {age}
short chair:
    {short furniture}
short photo:
    {years}
short pet:
    {size} ; {seniority} ; {coat color}
short animal:
    {short pet}
short friend:
    {seniority} * 3 ; {virtue}

adjective text:
    {short text} ; {interest}
adjective clothes:
    {short clothes} * 3 ; {beauty} ; {bargain} ; {age} {color} = {color} {age}
adjective garment:
    {adjective clothes}
adjective accessory:
    {short accessory} * 2 ; {beauty}
adjective food:
    {short food}
adjective car:
    {short car} * 3 ; {age} {color} = {color} {age}
adjective bike:
    {short bike}
adjective thing:
    {short thing}
adjective device:
    {age}
adjective key:
    {age}
adjective map:
    {short map}
adjective furniture:
    {short furniture}
adjective chair:
    {short furniture}
adjective lamp:
    {size} ; {age}
adjective ticket:
    {bargain}
adjective photo:
    {years} * 1.5 ; {beauty}
adjective snapshot:
    {beauty}
adjective film:
    {years} ; {interest}
adjective song:
    {years} ; {melody} * 2
adjective match:
    {thrill}
adjective pet:
    {short pet} * 3 ; {charm}
adjective cat:
    {adjective pet}
adjective animal:
    {short animal}
adjective adult:
    {youth} ; {virtue}
adjective youngster:
    {mind}
adjective job:
    {virtue}
adjective friend:
    {short friend}

predicate text:
    {age} ; {price} ; {interest}
predicate matter:
    {difficulty} * 3 ; {interest}
predicate language:
    {difficulty}
predicate food:
    {size} ; {price}
predicate clothes:
    {size} ; {age} ; {price} ; {beauty}
predicate tool:
    {size} ; {age} ; {price} ; {weight} * 3
predicate phone:
    {predicate tool}
predicate computer:
    {predicate tool}
predicate box:
    {predicate tool}
predicate table:
    {predicate tool}
predicate map:
    {size} ; {age} ; {price}
predicate seat:
    {size} ; {price} ; {weight} ; {firmness} * 3
predicate car:
    {size} ; {age} ; {price} ; {beauty}
predicate film:
    {seniority} ; {interest}
predicate song:
    {seniority} ; {melody} * 2
predicate animal:
    {size} ; {seniority}
predicate cat:
    {predicate animal}
predicate dog:
    {predicate animal}
predicate bird:
    {predicate animal}
predicate horse:
    {predicate animal}
predicate pet:
    {size} ; {charm}
predicate person:
    {stature} ; {mind}

fault text:
    {cost}
fault matter:
    {difficulty}
fault language:
    {difficulty}
fault food:
    {size} ; {cost}
fault clothes:
    {size} * 2 ; {cost}
fault tool:
    {size} ; {weight} * 3 ; {cost}
fault map:
    {size} ; {cost}
fault seat:
    {size} ; {weight} ; {hardness} * 2 ; {cost}
fault car:
    {size} ; {cost}
fault film:
    {seniority}
fault song:
    {seniority}
fault pet:
    {size}
"""
